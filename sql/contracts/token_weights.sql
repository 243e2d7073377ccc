-- How much a token tells, where a file or a language model says it.
-- Grain: none; of tokens that overlap the heaviest counts.
create table contracts.token_weights (
    row_id varchar not null,  -- the text
    start_char bigint not null check (start_char >= 0),  -- first code point
    end_char bigint not null check (end_char > start_char),  -- behind the last
    bits double not null check (bits >= 0),  -- its information content in bits
)
