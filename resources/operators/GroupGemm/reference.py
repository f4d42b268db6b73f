"""PyTorch definition of GroupGemm."""

import torch


def reference(a, b, c, alpha, beta, mList, kList, nList):
    """New value of c: the groups' results, flattened and one behind the other."""
    results = []
    at_a = at_b = at_c = 0
    for group, (m, k, n) in enumerate(zip(mList, kList, nList, strict=True)):
        left = a[at_a : at_a + m * k].reshape(m, k)
        right = b[at_b : at_b + k * n].reshape(k, n)
        old = c[at_c : at_c + m * n].reshape(m, n)
        results.append((alpha[group] * (left @ right) + beta[group] * old).reshape(-1))
        at_a, at_b, at_c = at_a + m * k, at_b + k * n, at_c + m * n
    return torch.cat(results)
