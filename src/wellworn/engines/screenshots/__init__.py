"""Pictures of web pages: one call in, a PNG or the reason why there is none out."""

from wellworn.engines.screenshots.chromium import NoScreenshot, ScreenshotRenderer, find_chromium
