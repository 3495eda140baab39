"""The folding algorithm on arrays."""

import numpy as np
import pytest

import loopwright as lw


def triangle(n: int):
    ivs = np.array([(i, j) for i in range(n) for j in range(i + 1)], dtype=np.int64)
    labels = np.array([(100 * i + 8 * j, i - 1) for i, j in ivs], dtype=np.int64)
    return ivs, labels


def test_a_triangle_is_one_piece():
    ivs, labels = triangle(10)
    folded = lw.fold(ivs, labels)
    assert (folded.points, len(folded), folded.exact, folded.gave_up) == (55, 1, True, False)
    assert folded.ranges == [(0, 972), (-1, 8)]
    (piece,) = folded.pieces
    assert piece.affine and not piece.over_approximated and piece.points == 55
    assert piece.labels == [([100, 8], 0), ([1, 0], -1)]
    assert "1 pieces, exact" in repr(folded) and "55 points" in repr(piece)


def test_the_relation_is_that_of_isl():
    islpy = pytest.importorskip("islpy")
    ivs, labels = triangle(7)
    relation = islpy.UnionMap(lw.fold(ivs, labels).to_isl())
    points = " or ".join(
        f"(i = {i} and j = {j} and a = {a} and b = {b})" for (i, j), (a, b) in zip(ivs, labels)
    )
    assert relation.is_equal(islpy.UnionMap(f"{{ [i, j] -> [a, b] : {points} }}"))
    assert relation.is_equal(islpy.UnionMap(lw.fold(ivs, labels).pieces[0].to_isl()))


def test_what_is_not_affine_is_unknown_or_exact_in_pieces():
    rng = np.random.default_rng(3)
    ivs = np.array([(i, j) for i in range(30) for j in range(8)], dtype=np.int64)
    labels = (rng.integers(0, 1000, 30)[ivs[:, 0]] + 4 * ivs[:, 1]).reshape(-1, 1)
    wide = lw.fold(ivs, labels)
    assert not wide.exact and sum(piece.points for piece in wide.pieces) == 240
    assert any(piece.labels[0] is not None and piece.labels[0][0] == [None, 4] for piece in wide.pieces)
    exact = lw.fold(ivs, labels, widen=False, give_up=False)
    assert exact.exact and len(exact) > len(wide)
    many = np.array([(i, j) for i in range(60) for j in range(60)], dtype=np.int64)
    scattered = many[rng.random(3600) < 0.5]
    boxes = lw.fold(scattered, rng.integers(0, 10**6, (len(scattered), 1)), widen=False)
    assert boxes.gave_up and any(piece.over_approximated for piece in boxes.pieces)
    assert boxes.points == len(scattered) and "given up" in repr(boxes)


def test_wrong_streams_are_named():
    ivs, labels = triangle(4)
    for given, message in [
        ((ivs.tolist(), labels), "ivs is a list"),
        ((ivs, labels.astype(np.int32)), "labels is an array of int32"),
        ((ivs.astype(np.uint64), labels), "ivs is an array of uint64"),
    ]:
        with pytest.raises(TypeError, match=message):
            lw.fold(*given)
    for given, message in [
        ((ivs[:, 0], labels), "ivs has 1 dimensions"),
        ((ivs, labels[:, 0].copy()), "labels has 1 dimensions"),
        ((np.asfortranarray(ivs), labels), "ivs is not contiguous"),
        ((ivs[::2], labels[::2]), "ivs is not contiguous"),
        ((ivs, labels[1:]), "labels has 9 rows and ivs has 10"),
        ((ivs[::-1].copy(), labels), r"ivs and labels, point 1: iteration vector \[3, 2\] comes after \[3, 3\]"),
        ((np.zeros((3, 65), np.int64), labels[:3].copy()), "ivs and labels, point 0"),
    ]:
        with pytest.raises(ValueError, match=message):
            lw.fold(*given)


def test_nothing_and_points_without_dimensions():
    empty = lw.fold(np.zeros((0, 2), np.int64), np.zeros((0, 1), np.int64))
    assert (empty.points, len(empty)) == (0, 0)
    point = lw.fold(np.zeros((1, 0), np.int64), np.array([[5]]))
    assert point.points == 1 and point.pieces[0].labels == [([], 5)]
    unlabelled = lw.fold(np.arange(5).reshape(-1, 1), np.zeros((5, 0), np.int64))
    assert unlabelled.exact and unlabelled.pieces[0].labels == []
