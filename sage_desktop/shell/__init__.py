"""The window itself: pages, opening, session, commands, status, crash reports."""
