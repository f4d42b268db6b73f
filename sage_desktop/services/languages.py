"""The languages of the window: English, Chinese, or the desktop's."""

ENGLISH, CHINESE = "en", "zh_CN"
SYSTEM = "system"
