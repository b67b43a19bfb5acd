"""The peers, written as well as we can: scikit-learn in float64 and float32, NumPy in place in float32, blocked.

All of them get the frequencies, offsets and weights of our map, so that all sides compute the same numbers. The random
maps of the peers have one cosine a frequency, cos(<w, x> + b), as scikit-learn's RBFSampler.
"""

import itertools
import time

import numpy as np
from sklearn.kernel_approximation import Nystroem, RBFSampler

LARGEST_BLOCK = 1 << 19  # floats of a block of phases: 2 MiB, beyond which nothing was ever faster


# --- scikit-learn ----------------------------------------------------------------------------------------------------


def rbf_sampler(frequencies, offset, dtype):
    """A fitted RBFSampler with these frequencies (r x d) and offsets."""
    r, d = frequencies.shape
    sampler = RBFSampler(n_components=r).fit(np.zeros((1, d), dtype))
    sampler.random_weights_ = np.ascontiguousarray(frequencies.T, dtype)
    sampler.random_offset_ = np.asarray(offset, dtype)
    return sampler


def nystroem(landmarks, bandwidth, dtype):
    """A fitted Nystroem with these landmarks, in their order."""
    r = len(landmarks)
    model = Nystroem(gamma=0.5 / bandwidth**2, n_components=r, random_state=0).fit(landmarks)
    order = np.argsort(model.component_indices_)
    model.components_ = np.ascontiguousarray(model.components_[order], dtype)
    normalization = model.normalization_[np.ix_(order, order)]
    model.normalization_ = np.ascontiguousarray(normalization, dtype)
    return model


class Transformed:
    """transform(rows) in chunks of so many rows; judged by a dot product, learned by a sum."""

    grid = [(chunk,) for chunk in (32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)]

    def __init__(self, transformer, weights, dtype):
        self._transformer, self._weights, self._dtype = transformer, np.asarray(weights, dtype), dtype
        self.block(self.grid[0])

    def block(self, sizes):
        (self._chunk,) = sizes

    def judge(self, rows):
        return np.concatenate(
            [self._transformer.transform(part) @ self._weights for part in chunks(rows, self._chunk)])

    def learn(self, rows):
        total = np.zeros(len(self._weights), self._dtype)
        for part in chunks(rows, self._chunk):
            total += self._transformer.transform(part).sum(axis=0)
        return total


def chunks(rows, size):
    return (rows[begin : begin + size] for begin in range(0, len(rows), size))


# --- NumPy in float32, nothing allocated, blocks of rows and of features that stay in the cache ----------------------


class InPlace:
    """f(A x + b) for f = cos (a random map) or exp (Nystrom, whose exp(-g |x|^2) is multiplied in at the end).

    The offset b is a last column of the matrix, met by a 1 behind each row: one pass less over the block.
    """

    grid = [sizes for sizes in itertools.product((64, 128, 256, 512, 1024, 2048), (128, 256, 512, 1024, 2048, 4096))
            if 1 << 14 <= sizes[0] * sizes[1] <= LARGEST_BLOCK]

    def __init__(self, function, matrix, offset, weights, gamma=None):
        self._f, self._gamma = function, gamma
        self._matrix = np.vstack([np.asarray(matrix).T, offset]).astype(np.float32)
        self._weights = np.asarray(weights, np.float32)
        self.block(self.grid[0])

    def block(self, sizes):
        self._rows, features = sizes
        r = self._matrix.shape[1]
        features = min(features, r)
        begins = range(0, r, features)
        self._blocks = [(slice(b, min(b + features, r)), np.ascontiguousarray(self._matrix[:, b : b + features]),
                         self._weights[b : b + features].copy()) for b in begins]
        self._x = np.ones((self._rows, len(self._matrix)), np.float32)
        self._p = np.empty(self._rows * features, np.float32)
        self._q = np.empty(self._rows * features, np.float32)
        self._ones = np.ones(self._rows, np.float32)

    def _phases(self, rows, width):
        return self._p[: rows * width].reshape(rows, width)

    def judge(self, rows):
        result = np.zeros(len(rows), np.float32)
        for begin in range(0, len(rows), self._rows):
            part = rows[begin : begin + self._rows]
            n = len(part)
            self._x[:n, :-1] = part
            eta = result[begin : begin + n]
            for _, matrix, weights in self._blocks:
                p = self._phases(n, matrix.shape[1])
                np.matmul(self._x[:n], matrix, out=p)
                self._f(p, out=p)
                eta += p @ weights
            if self._gamma is not None:
                eta *= np.exp(-self._gamma * np.einsum("ij,ij->i", part, part))
        return result

    def learn(self, rows):
        """One function a frequency: what RBFSampler's features need."""
        total = np.zeros(self._matrix.shape[1], np.float32)
        for begin in range(0, len(rows), self._rows):
            n = min(self._rows, len(rows) - begin)
            self._x[:n, :-1] = rows[begin : begin + n]
            for columns, matrix, _ in self._blocks:
                p = self._phases(n, matrix.shape[1])
                np.matmul(self._x[:n], matrix, out=p)
                self._f(p, out=p)
                total[columns] += self._ones[:n] @ p
        return total

    def learn_pairs(self, rows):
        """Cosine and sine of each frequency: the same sums as ours. REQUIRES: offset 0"""
        r = self._matrix.shape[1]
        total = np.zeros(2 * r, np.float32)
        for begin in range(0, len(rows), self._rows):
            n = min(self._rows, len(rows) - begin)
            self._x[:n, :-1] = rows[begin : begin + n]
            for columns, matrix, _ in self._blocks:
                p = self._phases(n, matrix.shape[1])
                q = self._q[: p.size].reshape(p.shape)
                np.matmul(self._x[:n], matrix, out=p)
                np.cos(p, out=q)
                np.sin(p, out=p)
                total[columns] += self._ones[:n] @ q
                total[columns.start + r : columns.stop + r] += self._ones[:n] @ p
        return total


class StructuredInPlace:
    """The algorithm of our SORF map in NumPy, which no library offers: A cos(scale H S3 H S2 H S1 x - theta).

    H of size D = A B is the Kronecker product of two small ones, each applied to many rows by one product of matrices.
    Rows are columns here, so that both are contiguous. With signs of its own: only what it costs is compared.
    """

    grid = [(rows,) for rows in (32, 64, 128, 256, 512)]

    def __init__(self, d, r, bandwidth, seed=6):
        self.D = 1 << max(4, (d - 1).bit_length())
        self.A = 1 << (self.D.bit_length() // 2)
        draw = np.random.default_rng(seed)
        blocks = -(-r // self.D)
        self.signs = draw.choice(np.float32([-1, 1]), (blocks, 3, self.D, 1))
        norms = np.sqrt(draw.chisquare(self.D, (blocks, self.D, 1)))
        self.scale = (norms / (bandwidth * self.D**1.5)).astype(np.float32)
        self.theta = draw.uniform(0, 2 * np.pi, (blocks, self.D, 1)).astype(np.float32)
        self.amplitude = draw.random((blocks, self.D), dtype=np.float32) / r
        self._ha, self._hb = hadamard(self.A), hadamard(self.D // self.A)
        self.block(self.grid[0])

    def block(self, sizes):
        (self._rows,) = sizes
        self._x, self._y, self._z = (np.zeros((self.D, self._rows), np.float32) for _ in range(3))

    def _transform(self, y, z):
        """y = H y, by way of z."""
        n = y.shape[1]
        np.matmul(self._ha, y.reshape(self.A, -1), out=z.reshape(self.A, -1))
        np.matmul(self._hb, z.reshape(self.A, -1, n), out=y.reshape(self.A, -1, n))

    def judge(self, rows):
        result = np.zeros(len(rows), np.float32)
        for begin in range(0, len(rows), self._rows):
            part = rows[begin : begin + self._rows]
            n = len(part)
            x, y, z = (array.reshape(-1)[: self.D * n].reshape(self.D, n) for array in (self._x, self._y, self._z))
            x[: part.shape[1]] = part.T
            x[part.shape[1] :] = 0
            for signs, scale, theta, amplitude in zip(self.signs, self.scale, self.theta, self.amplitude, strict=True):
                np.multiply(x, signs[0], out=y)
                self._transform(y, z)
                for flip in signs[1:]:
                    y *= flip
                    self._transform(y, z)
                y *= scale
                y -= theta
                np.cos(y, out=y)
                result[begin : begin + n] += amplitude @ y
        return result

    def judge_slowly(self, rows):
        """The same from the matrix of all frequencies, in float64."""
        h, x = hadamard(self.D).astype(np.float64), np.zeros((self.D, len(rows)))
        x[: rows.shape[1]] = rows.T
        total = np.zeros(len(rows))
        for signs, scale, theta, amplitude in zip(self.signs, self.scale, self.theta, self.amplitude, strict=True):
            total += amplitude @ np.cos(scale * (h @ (signs[2] * (h @ (signs[1] * (h @ (signs[0] * x)))))) - theta)
        return total


def hadamard(size):
    h = np.ones((1, 1), np.float32)
    while len(h) < size:
        h = np.block([[h, h], [h, -h]])
    return h


# --- the best sizes --------------------------------------------------------------------------------------------------


def tune(peer, work, rows, seconds, fewest, clock=time.process_time):
    """Gives `peer` the sizes that are fastest for work(rows), and returns how many rows it does in so many seconds.

    Each size is tried on a part of the rows, the best three again.
    """

    def rate(sizes, part):
        peer.block(sizes)
        start = clock()
        work(part)
        return len(part) / (clock() - start)

    middle = peer.grid[len(peer.grid) // 2]
    rate(middle, rows[:64])
    part = rows[: max(fewest, min(4 * fewest, int(rate(middle, rows[:64]) * seconds / 4)))]
    grid = [sizes for sizes in peer.grid if sizes[0] <= len(part)]
    best = sorted(grid, key=lambda sizes: -rate(sizes, part))[:3]
    found = {sizes: max(rate(sizes, part) for _ in range(3)) for sizes in best}
    peer.sizes = max(found, key=found.get)
    peer.block(peer.sizes)
    wanted = max(fewest, min(len(rows), int(found[peer.sizes] * seconds)))
    return max(wanted - wanted % peer.sizes[0], peer.sizes[0])  # whole blocks
