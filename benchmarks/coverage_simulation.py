"""How often a nominal 95 % interval of mean F1 covers the truth, where the truth is known.

Run as `python -m benchmarks.coverage_simulation`. Rows are drawn from two worlds with the same distribution of a single
row. In one, rows of a document have nothing in common; in the other, how well a row is read is nearly a property of its
document. The truth is mean F1 of a very large population. Samples share draws in blocks, one seed a block, so the
standard error is that of the blocks' means.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tests.oracle import draws, f1

BLOCKS, SAMPLES_A_BLOCK, REPLICATES = 40, 100, 1000
POPULATION = 3000  # samples whose rows together are the population
Array = NDArray[np.float64]


class World(NamedTuple):
    """Spread of what documents and rows add to the log odds of a find and to the log rate of false alarms."""

    name: str
    of_documents: float
    of_rows: float


class Corpus(NamedTuple):
    """A stratum: document k has 1 + k mod 9 rows."""

    name: str
    n_documents: int
    log_odds: float
    log_alarms: float


# The squares of both spreads add up to the same in both worlds, so that only the dependence differs.
WORLDS = (World("independent", 0.0, 1.5), World("clustered in documents", 1.45, 0.384))
CORPORA = (
    Corpus("north", 100, 1.5, -1.5),
    Corpus("east", 120, 0.5, -0.5),
    Corpus("south", 150, 0.0, -1.0),
    Corpus("west", 200, 2.5, -2.0),
)


def documents_of(corpus: Corpus) -> NDArray[np.int64]:
    """The document of each row."""
    return np.repeat(np.arange(corpus.n_documents), 1 + np.arange(corpus.n_documents) % 9)


def sampled(rng: np.random.Generator, world: World, corpus: Corpus, n_samples: int) -> Array:
    """tp, fp and fn of each row, (n_samples, n_rows, 3); an entity or a false alarm has 12 characters on average."""
    documents = documents_of(corpus)

    def spread() -> Array:
        of_documents = rng.standard_normal((n_samples, corpus.n_documents))[:, documents]
        return world.of_documents * of_documents + world.of_rows * rng.standard_normal((n_samples, len(documents)))

    entities = rng.poisson(1.5, (n_samples, len(documents)))
    found = rng.binomial(entities, 1 / (1 + np.exp(-corpus.log_odds - spread())))
    alarms = rng.poisson(np.exp(corpus.log_alarms + 0.5 * spread()))
    things = np.stack([found, alarms, entities - found], axis=-1)
    return np.asarray(4 * things + rng.poisson(8 * things), dtype=np.float64)


def truth(rng: np.random.Generator, world: World) -> float:
    """Mean over corpora of the population's F1."""
    of_corpora = []
    for corpus in CORPORA:
        chunks = [sampled(rng, world, corpus, 100).sum(axis=(0, 1)) for _ in range(POPULATION // 100)]
        of_corpora.append(f1(np.sum(chunks, axis=0)))
    return float(np.mean(of_corpora))


def times_drawn(seed: int, unit: str, corpus: str, n_units: int) -> Array:
    """How often each replicate has each unit, (REPLICATES, n_units)."""
    places = np.arange(REPLICATES)[:, None] * n_units + draws(seed, unit, corpus, REPLICATES, n_units)
    return np.bincount(places.ravel(), minlength=REPLICATES * n_units).reshape(REPLICATES, n_units).astype(np.float64)


def resampled(weights: Array, units: Array) -> Array:
    """F1 of each replicate of each sample, (REPLICATES, n_samples)."""
    n_samples, n_units, _ = units.shape
    columns = units.transpose(1, 0, 2).reshape(n_units, n_samples * 3)
    return np.asarray(f1((weights @ columns).reshape(REPLICATES, n_samples, 3)))


def block(rng: np.random.Generator, world: World, seed: int) -> dict[str, tuple[Array, Array]]:
    """Low and high ends of the samples' intervals, by unit."""
    sums = {unit: np.zeros((REPLICATES, SAMPLES_A_BLOCK)) for unit in ("row", "document")}
    for corpus in CORPORA:
        rows = sampled(rng, world, corpus, SAMPLES_A_BLOCK)
        first_rows = np.flatnonzero(np.diff(documents_of(corpus), prepend=-1))
        for unit, units in (("row", rows), ("document", np.add.reduceat(rows, first_rows, axis=1))):
            sums[unit] += resampled(times_drawn(seed, unit, corpus.name, units.shape[1]), units)
    ends = {unit: np.quantile(of_unit / len(CORPORA), (0.025, 0.975), axis=0) for unit, of_unit in sums.items()}
    return {unit: (low, high) for unit, (low, high) in ends.items()}


def main() -> None:
    """Print the table."""
    print(f"{BLOCKS * SAMPLES_A_BLOCK:,} samples, {REPLICATES:,} replicates, {len(CORPORA)} corpora\n")
    print("| rows | unit | coverage % | standard error | mean width |\n|---|---|---|---|---|")
    for number, world in enumerate(WORLDS):
        target = truth(np.random.default_rng((number, 0)), world)
        blocks = [block(np.random.default_rng((number, 1, seed)), world, seed) for seed in range(BLOCKS)]
        for unit in ("row", "document"):
            covered = [100 * np.mean((low <= target) & (target <= high)) for low, high in (of[unit] for of in blocks)]
            width = np.mean([high - low for low, high in (of[unit] for of in blocks)])
            error = np.std(covered, ddof=1) / np.sqrt(BLOCKS)
            print(f"| {world.name} | {unit} | {np.mean(covered):.1f} | {error:.1f} | {width:.4f} |")


if __name__ == "__main__":
    main()
