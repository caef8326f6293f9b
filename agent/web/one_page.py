"""Shows one page, which is one file, to browsers on this machine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ludens.agent.server.listening import listen_on
from ludens.agent.web.access import PageAccess
from ludens.agent.web.requests import Answer, BoundedRequest, BoundedSite, Handlers
from ludens.agent.web.static import page_file


def show_page(reactor: Any, page: str, port: int) -> str:
    """Listens on a port of this machine, 0 for any free one, and returns the page's address; raises `ListenError`."""
    file = page_file(page.encode(), ".html")
    rules = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
    assert rules is not None, "a page that is shown says what it may load"

    async def answer(request: Any, _path: list[str], _body: Mapping[str, Any]) -> Answer:
        request.setHeader("Content-Security-Policy", f"{rules[1]}; frame-ancestors 'none'")
        return file

    handlers = Handlers(PageAccess("127.0.0.1"), {"": answer}, {})
    make_site: Any = BoundedSite
    site = make_site(handlers, requestFactory=BoundedRequest, reactor=reactor)
    listening = listen_on(reactor, port, site, "127.0.0.1")
    return f"http://127.0.0.1:{listening.getHost().port}/"
