import type { EdgeVerdict } from '@/domain/topology/edge-verdict';
import type { MapLayout } from './lay-out';
import type { MapLine } from './map-lines';
import type { MapModel } from './map-model';
import type { ScreenSize, Viewport } from './viewport';

/** Colors and fonts of the current theme. */
export type Palette = {
  canvas: string;
  surface: string;
  raised: string;
  line: string;
  strong: string;
  text: string;
  muted: string;
  faint: string;
  accent: string;
  sans: string;
  verdicts: Record<EdgeVerdict, string>;
};

/** Everything to draw. Rebuilt when the displayed data changes, not when the map moves. */
export type Scene = {
  model: MapModel;
  layout: MapLayout;
  links: readonly MapLine[];
  bundles: readonly MapLine[];
  /** Names cut to the width of a tile. */
  labels: ReadonlyMap<string, string>;
};

/** What is pointed at, chosen, or searched for. */
export type Attention = { active: string | null; matches: ReadonlySet<string> | null };

/** What everything is drawn with. */
export type Look = { palette: Palette; scale: number; view: Viewport; screen: ScreenSize };
