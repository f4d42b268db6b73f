import torch


def reference(positions, query, key, cos_sin_cache):
    rows = cos_sin_cache[positions.long()]
    half = rows.shape[-1] // 2
    cosine, sine = rows[:, None, :half], rows[:, None, half:]

    def turned(heads):
        a, b = heads[..., 0 : 2 * half : 2], heads[..., 1 : 2 * half : 2]
        pairs = torch.stack((a * cosine - b * sine, a * sine + b * cosine), dim=-1)
        return torch.cat((pairs.flatten(-2), heads[..., 2 * half :]), dim=-1)

    return turned(query), turned(key)
