r"""The table of tokens that issuers gave a beginning of their own, so that they can be recognised.

A line is what all such tokens begin with, and the pattern of the rest. It is looked for by its
beginning, so a text without it costs nothing more, and its beginning must be that of a word.
Publishable keys are not here: they are meant to be seen.

Source: the issuers' documented formats.
"""

from __future__ import annotations

_TABLE = r"""
    gsk_ [A-Za-z0-9]{40,60}
    xai- [A-Za-z0-9]{60,90}
    pplx- [A-Za-z0-9]{40,64}
    r8_ [A-Za-z0-9]{37,40}
    nvapi- [\w-]{60,80}
    tvly- [A-Za-z0-9-]{20,60}
    fc- [a-f0-9]{32}
    jina_ [A-Za-z0-9_]{40,80}
    e2b_ [a-f0-9]{40}
    lsv2_ (?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}
    dop_v1_ [a-f0-9]{64}
    doo_v1_ [a-f0-9]{64}
    dor_v1_ [a-f0-9]{64}
    AVNS_ [\w-]{19}
    lin_api_ [A-Za-z0-9]{32,48}
    lin_oauth_ [A-Za-z0-9]{32,64}
    ntn_ [A-Za-z0-9]{40,50}
    secret_ [A-Za-z0-9]{43}
    hvs. [\w-]{24,300}
    hvb. [\w-]{24,300}
    hvr. [\w-]{24,300}
    shpat_ [a-fA-F0-9]{32}
    shpca_ [a-fA-F0-9]{32}
    shppa_ [a-fA-F0-9]{32}
    shpss_ [a-fA-F0-9]{32}
    sq0 [a-z]{3}-[\w-]{22,50}
    EAAA [\w-]{50,64}
    EAA [A-Za-z0-9]{100,300}
    dapi [a-f0-9]{32}(?:-\d)?
    dp. (?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,64}
    NRAK- [A-Z0-9]{27}
    NRII- [\w-]{32}
    NRRA- [a-f0-9]{42}
    key- [0-9a-f]{32}
    sntrys_ [\w+/=-]{40,300}
    sntryu_ [a-f0-9]{64}
    glsa_ [\w+/=-]{32,200}
    glc_ [\w+/=-]{32,400}
    eyJrIjoi [A-Za-z0-9+/]{60,400}={0,2}
    eyJhIjoi [A-Za-z0-9+/]{80,400}={0,2}
    AGE-SECRET-KEY-1 [A-Z0-9]{58}
    dckr_pat_ [\w-]{27,40}
    dckr_oat_ [\w-]{27,40}
    SWMTKN-1- [a-z0-9]{40,60}-[a-z0-9]{25}
    K10 [a-f0-9]{64}::[\w:-]{20,120}
    rubygems_ [a-f0-9]{48}
    CLOJARS_ [a-z0-9]{60}
    oy2 [a-z0-9]{43}
    cio [A-Za-z0-9]{32}
    ATATT3 [\w=-]{60,250}
    ATCTT3 [\w=-]{60,250}
    ATBB [A-Za-z0-9]{32}
    ATTA [A-Za-z0-9]{72}
    bkua_ [a-z0-9]{40}
    CCIPAT_ [\w]{20,80}
    CCIPRJ_ [\w]{20,80}
    figd_ [\w-]{40,50}
    figo_ [\w-]{40,50}
    fo1_ [\w-]{43}
    fm1a_ [A-Za-z0-9+/]{100,600}={0,3}
    fm1r_ [A-Za-z0-9+/]{100,600}={0,3}
    fm2_ [A-Za-z0-9+/]{100,900}={0,3}
    sbp_ [a-f0-9]{40}
    sb_secret_ [\w-]{30,50}
    pscale_ [a-z]{2,6}_[\w.-]{32,64}
    napi_ [a-z0-9]{50,70}
    npg_ [A-Za-z0-9]{12,24}
    tskey- [a-z]{2,8}-[\w-]{20,64}
    rnd_ [A-Za-z0-9]{28,32}
    nfp_ [A-Za-z0-9]{36,44}
    re_ [A-Za-z0-9]{8}_[A-Za-z0-9]{22,26}
    pat- (?:na|eu)\d-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}
    PMAK- [a-f0-9]{24}-[a-f0-9]{34}
    pul- [a-f0-9]{40}
    pnu_ [A-Za-z0-9]{36}
    phx_ [\w-]{40,50}
    rdme_ [a-z0-9]{70}
    xkeysib- [a-f0-9]{64}-[A-Za-z0-9]{16}
    xsmtpsib- [a-f0-9]{64}-[A-Za-z0-9]{16}
    shippo_ (?:live|test)_[a-fA-F0-9]{40}
    duffel_ (?:live|test)_[\w=-]{43}
    sgp_ (?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40}|sgp_[A-Za-z0-9]{60,70}
    sqp_ [a-f0-9]{40}
    squ_ [a-f0-9]{40}
    sqa_ [a-f0-9]{40}
    aio_ [A-Za-z0-9]{28}
    pat [A-Za-z0-9]{14}\.[a-f0-9]{64}
    pat. [\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}
    sat. [\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}
    A3- [A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}
    ops_eyJ [A-Za-z0-9+/]{200,2000}={0,3}
    p8e- [A-Za-z0-9]{32}
    LTAI [A-Za-z0-9]{12,24}
    AKCp [A-Za-z0-9]{60,75}
    cmVmd [A-Za-z0-9]{59}
    ABSK [A-Za-z0-9+/]{100,269}={0,2}
    v1.0- [a-f0-9]{24}-[a-f0-9]{146}
    dt0 [a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}
    EZAK [A-Za-z0-9]{54}
    EZTK [A-Za-z0-9]{54}
    FLWSECK [A-Z_]{0,5}-[A-Za-z0-9]{12,32}(?:-X)?
    fio-u- [\w=-]{64}
    HRKU-AA [\w-]{58}
    ico- [A-Za-z0-9]{32}
    API- [A-Z0-9]{26}
    sha256~ [\w-]{43}
    CFPAT- [\w-]{43,64}
    KEY0 [0-9A-F]{31}_[A-Za-z0-9]{22}
    zpka_ [a-z0-9]{30,36}_[a-z0-9]{8}
    access_token$ (?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}
    access- (?:sandbox|development|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}
    mdb_sa_sk_ [\w-]{30,60}
    mfa. [\w-]{80,90}
    shptka_ [a-fA-F0-9]{32}
"""

ISSUED: tuple[tuple[str, str], ...] = tuple(
    (begins, rest)
    for begins, _, rest in (line.partition(" ") for line in _TABLE.split("\n    ")[1:])
)
"""What the tokens of each issuer begin with, and the pattern of the rest."""
