"""The pages for people: server-made, over the same services as every other interface."""

from wellworn.interfaces.web.site import PATHS, WebSite
