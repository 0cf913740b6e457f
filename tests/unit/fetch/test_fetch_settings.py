from __future__ import annotations

import pytest
from pydantic import ValidationError

from wellworn.engines.fetch import FetchSettings


def test_no_private_network_is_open_at_first():
    assert FetchSettings().private_networks == ()


@pytest.mark.parametrize("network", ["somewhere", "10.0.0.1/8", "10.0.0.0/40", ""])
def test_a_private_network_is_written_as_cidr(network):
    with pytest.raises(ValidationError):
        FetchSettings(private_networks=(network,))


def test_the_introduction_tells_no_version():
    assert not any(character.isdigit() for character in FetchSettings().user_agent)
