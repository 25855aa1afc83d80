import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TOPOLOGY_GROUPINGS } from '@/domain/choices';
import { EDGE_VERDICTS } from '@/domain/topology/edge-verdict';
import { english } from '@/lib/i18n/translator';
import { drawMap } from './draw-map';
import { fitLabels } from './draw-tiles';
import { type Box, layOut } from './lay-out';
import { bundleLines, linkLines } from './map-lines';
import { buildMap } from './map-model';
import { randomTopology } from './random-topology.fixture';
import type { Palette } from './scene';
import { fitBox } from './viewport';

type Drawn =
  | { what: 'line' }
  | { what: 'fill'; box: Box; opaque: boolean }
  | { what: 'text'; text: string; x: number; y: number };

/** A canvas that notes what is drawn, in order; one pixel for each character. */
function recorder() {
  const drawn: Drawn[] = [];
  const known: Record<string, unknown> = {
    globalAlpha: 1,
    measureText: (text: string) => ({ width: text.length }),
    quadraticCurveTo: () => drawn.push({ what: 'line' }),
    lineTo: () => drawn.push({ what: 'line' }),
    fillRect: (x: number, y: number, width: number, height: number) =>
      drawn.push({ what: 'fill', box: { x, y, width, height }, opaque: known.globalAlpha === 1 }),
    fillText: (text: string, x: number, y: number) => drawn.push({ what: 'text', text, x, y }),
  };
  const ctx = new Proxy(known, {
    get: (target, name: string) => (name in target ? target[name] : () => {}),
    set: (target, name: string, value) => {
      target[name] = value;
      return true;
    },
  }) as unknown as CanvasRenderingContext2D;
  return { ctx, drawn };
}

const palette = { sans: 'sans', verdicts: {} } as Palette;

it('draws no line over a name: every name is on something opaque that is drawn after the last line', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 500 }),
      fc.integer({ min: 2, max: 60 }),
      fc.constantFrom(...TOPOLOGY_GROUPINGS),
      fc.constantFrom<readonly string[] | 'all'>('all', [], ['tag:web', 'none']),
      fc.constantFrom('nothing', 'a node', 'a group', 'a search'),
      (seed, workloads, grouping, expand, selected) => {
        const topology = randomTopology(seed, { workloads, edges: 3 * workloads }, { grouping, expand });
        const model = buildMap(english, topology, { verdicts: new Set(EDGE_VERDICTS), idle: true });
        const layout = layOut(model.groups);
        const { ctx, drawn } = recorder();
        const lines = { links: linkLines(model, layout), bundles: bundleLines(model, layout) };
        const scene = { model, layout, ...lines, labels: fitLabels(ctx, model.nodes.values(), palette) };
        const screen = { width: 1440, height: 900 };
        const view = { ...fitBox({ x: 0, y: 0, ...layout }, screen), scale: 1 };
        const [first] = model.nodes.keys();
        const active = selected === 'a node' ? first : selected === 'a group' ? model.groups[0]?.id : null;
        const matches = selected === 'a search' && first !== undefined ? new Set([first]) : null;
        drawMap(ctx, scene, view, screen, { active: active ?? null, matches }, palette, 1);
        const last = drawn.findLastIndex(({ what }) => what === 'line');
        const covers = drawn.slice(last + 1).filter((one) => one.what === 'fill' && one.opaque);
        const names = drawn.flatMap((one, index) => (one.what === 'text' ? [{ ...one, index }] : []));
        expect(names.length).toBeGreaterThan(0);
        for (const { x, y, text, index } of names) {
          expect(index, text).toBeGreaterThan(last);
          const isCovered = covers.some(
            (one) =>
              one.what === 'fill' &&
              x >= one.box.x &&
              x <= one.box.x + one.box.width &&
              y >= one.box.y &&
              y <= one.box.y + one.box.height,
          );
          expect(isCovered, text).toBe(true);
        }
      },
    ),
    { numRuns: 40 },
  );
});
