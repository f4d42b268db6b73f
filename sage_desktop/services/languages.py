"""The languages of the window: English, Chinese, or what the desktop speaks."""

ENGLISH, CHINESE = "en", "zh_CN"
SYSTEM = "system"
