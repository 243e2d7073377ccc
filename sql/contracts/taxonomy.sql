-- A type of personal data and how it counts.
-- Grain: (type).
create table contracts.taxonomy (
    type varchar not null,  -- our name for it
    bit bigint not null check (bit between 0 and 59),  -- its place in a bit mask; never reused
    role varchar not null check (role in ('scored', 'excluded', 'ignored')),  -- how a gold span of it counts
    severity varchar not null check (severity in ('high', 'medium', 'low')),  -- high: secrets, government identifiers, payment
    has_fixed_format boolean not null,  -- whether a regular expression resolves it
    description varchar not null,  -- what it covers
)
