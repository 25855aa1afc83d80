'use client';
import { useMemo } from 'react';
import { fitLabels } from './draw-tiles';
import { layOut } from './lay-out';
import { bundleLines, linkLines } from './map-lines';
import type { MapModel } from './map-model';
import type { Palette, Scene } from './scene';

/** Everything that is drawn, worked out once for what is shown. Null until the page is there. */
export function useScene(model: MapModel, palette: Palette | null): Scene | null {
  const layout = useMemo(() => layOut(model.clusters), [model]);
  const lines = useMemo(
    () => ({ links: linkLines(model, layout), bundles: bundleLines(model, layout) }),
    [model, layout],
  );
  return useMemo(() => {
    const ctx = palette && document.createElement('canvas').getContext('2d');
    return ctx && { model, layout, ...lines, labels: fitLabels(ctx, model.nodes.values(), palette) };
  }, [model, layout, lines, palette]);
}
