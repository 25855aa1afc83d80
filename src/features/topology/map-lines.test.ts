import { describe, expect, it } from 'vitest';
import { EDGE_VERDICTS } from '@/domain/topology/edge-verdict';
import { english } from '@/lib/i18n/translator';
import { layOut } from './lay-out';
import { bundleLines, findLineAt, linkLines, type MapLine, selectLines } from './map-lines';
import { buildMap } from './map-model';
import { randomTopology } from './random-topology.fixture';

const buildScene = (workloads: number, edges: number) => {
  const topology = randomTopology(4, { workloads, edges });
  const model = buildMap(english, topology, { verdicts: new Set(EDGE_VERDICTS), idle: true });
  const layout = layOut(model.groups);
  return { model, layout, links: linkLines(model, layout), bundles: bundleLines(model, layout) };
};

describe('lines', () => {
  const { model, layout, links, bundles } = buildScene(80, 400);

  it('go from border to border, one for each link', () => {
    expect(links.length).toBe(model.links.length);
    for (const line of links) {
      for (const [id, { x, y }] of [
        [line.source, line.from],
        [line.destination, line.to],
      ] as const) {
        const box = layout.nodes.get(id) ?? { x: 0, y: 0, width: 0, height: 0 };
        const [right, below] = [x - box.x, y - box.y];
        expect(right).toBeGreaterThanOrEqual(-1e-6);
        expect(right).toBeLessThanOrEqual(box.width + 1e-6);
        expect(below).toBeGreaterThanOrEqual(-1e-6);
        expect(below).toBeLessThanOrEqual(box.height + 1e-6);
        const edge = Math.min(right, below, box.width - right, box.height - below);
        expect(Math.abs(edge)).toBeLessThan(1e-6);
      }
    }
  });

  it('join groups from afar, without those inside a group', () => {
    const between = model.links.filter(
      ({ source, destination }) => model.nodes.get(source)?.group_id !== model.nodes.get(destination)?.group_id,
    );
    const keys = new Set(
      between.map(
        (link) => [link.source, link.destination].map((id) => model.nodes.get(id)?.group_id).join() + link.verdict,
      ),
    );
    expect(bundles.length).toBe(keys.size);
  });

  it('appear in the order of weight, the heaviest on top', () => {
    const weights = links.map(({ verdict }) => EDGE_VERDICTS.indexOf(verdict));
    expect(weights).toEqual([...weights].sort((a, b) => b - a));
  });
});

describe('selectLines', () => {
  const denied = (lines: readonly MapLine[]) =>
    lines.filter(({ verdict }) => verdict === 'dropped' || verdict === 'would_drop').length;

  it('shows single links from near, and few of them at any distance', () => {
    const many = buildScene(200, 900);
    expect(selectLines(many, 2)).toBe(many.links);
    const few = buildScene(30, 60);
    expect(selectLines(few, 0.1)).toBe(few.links);
  });

  it('joins what passes from afar, and what is denied only when it is much', () => {
    const some = buildScene(80, 200);
    const shown = selectLines(some, 0.5);
    expect(denied(shown)).toBe(denied(some.links));
    expect(shown.length - denied(shown)).toBe(some.bundles.length - denied(some.bundles));
    const many = buildScene(200, 900);
    expect(selectLines(many, 0.5)).toBe(many.bundles);
  });
});

it('findLineAt finds the line under the pointer, and none far from all', () => {
  const { links, layout } = buildScene(12, 20);
  for (const line of links) {
    const middle = {
      x: (line.from.x + 2 * line.control.x + line.to.x) / 4,
      y: (line.from.y + 2 * line.control.y + line.to.y) / 4,
    };
    expect(findLineAt([line], middle, 0.5)).toBe(line);
    expect(findLineAt([line], { x: middle.x, y: layout.height + 400 }, 6)).toBeNull();
    const found = findLineAt(links, middle, 6);
    expect(found).not.toBeNull();
  }
});

it('lines between the tiles of a ring bend inwards', () => {
  const topology = randomTopology(4, { workloads: 60, edges: 300 }, { grouping: 'project', expand: [] });
  const model = buildMap(english, topology, { verdicts: new Set(EDGE_VERDICTS), idle: true });
  const layout = layOut(model.groups);
  const center = layout.center ?? { x: 0, y: 0 };
  expect(layout.center).not.toBeNull();
  const away = (x: number, y: number) => Math.hypot(x - center.x, y - center.y);
  for (const { control, source, destination } of linkLines(model, layout)) {
    const [a, b] = [layout.nodes.get(source), layout.nodes.get(destination)];
    if (!a || !b) throw new Error('a line without ends');
    const middle = [(a.x + b.x + a.width) / 2, (a.y + b.y + a.height) / 2] as const;
    // Through the center itself a line bends to either side.
    if (away(...middle) > 100) expect(away(control.x, control.y)).toBeLessThan(away(...middle));
  }
});
