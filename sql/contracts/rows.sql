-- A text as a detector sees it.
-- Grain: (row_id).
create table contracts.rows (
    row_id varchar not null,  -- <passage_id>@<carrier>, or the id a rows file gives
    corpus varchar not null,  -- the corpus, the stratum of every interval
    source varchar not null,  -- the source within the corpus; the corpus itself where there is one
    split varchar not null,  -- the source's split, `all` where it has none
    doc_id varchar not null,  -- the document, the independent unit; opaque, never natural language
    passage_id varchar not null,  -- the text before wrapping
    passage_start bigint not null check (passage_start >= 0),  -- where the passage begins in its document, in code points
    language varchar not null,  -- ISO 639-1, `und` where unknown
    carrier varchar not null,  -- what the passage is wrapped in
    licence varchar not null,  -- SPDX identifier of the text's licence
    text varchar not null,  -- the wire text; may be personal data
    n_chars bigint not null check (n_chars >= 0),  -- length of the text in code points
    slices map(varchar, varchar) not null,  -- further columns of the corpus to slice by
)
