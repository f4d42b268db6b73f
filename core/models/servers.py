"""Servers that many use: their addresses, where their keys are kept, and how they take a limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from core.models.endpoint import Endpoint


@dataclass(frozen=True)
class Server:
    """A server as its maker documents it.

    Attributes:
        address: Base URL.
        key_name: Environment variable its own tools read; empty: it asks for no key.
        limit_field: Field that holds the longest reply.
    """

    address: str
    key_name: str = ""
    limit_field: str = "max_tokens"


SERVERS = {
    "openai": Server(
        "https://api.openai.com/v1", "OPENAI_API_KEY", "max_completion_tokens"
    ),
    "deepseek": Server("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    "qwen": Server(
        "https://dashscope.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY"
    ),
    "glm": Server("https://open.bigmodel.cn/api/paas/v4", "ZHIPUAI_API_KEY"),
    "vllm": Server("http://127.0.0.1:8000/v1"),
    "sglang": Server("http://127.0.0.1:30000/v1"),
    "ollama": Server("http://127.0.0.1:11434/v1"),
    "llama.cpp": Server("http://127.0.0.1:8080/v1"),
}
_AZURE = ".openai.azure.com"


def server_settings(address: str) -> dict[str, Any]:
    """Return the fields of a profile for an address, or for the short name of a server.

    An unknown address gives itself alone.
    """
    host = urlsplit(address).hostname or ""
    server = SERVERS.get(address.lower())
    if server is None and host.endswith(_AZURE):
        server = Server(address, "AZURE_OPENAI_API_KEY", "max_completion_tokens")
    if server is None:
        by_host = {
            urlsplit(server_row.address).hostname: server_row
            for server_row in SERVERS.values()
            if server_row.key_name
        }
        server = by_host.get(host)
        if server is None:
            return {"base_url": address}
    settings = {
        "base_url": address if host else server.address,
        "limit_field": server.limit_field,
    }
    return settings | ({"key_name": server.key_name} if server.key_name else {})


def endpoint_at(address: str, model: str, key_name: str = "") -> Endpoint:
    """Return an endpoint at an address or short name; a key that was named stands above the usual one."""
    named = {"key_name": key_name} if key_name else {}
    return Endpoint(**(server_settings(address) | {"model": model} | named))
