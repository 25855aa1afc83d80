import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const css = readFileSync(new URL('./theme.css', import.meta.url), 'utf8');
const tokens = new Map(
  Array.from(css.matchAll(/--color-([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g), (m) => [
    m[1] ?? '',
    { light: m[2] ?? '', dark: m[3] ?? '' },
  ]),
);

/** Relative luminance and contrast as WCAG 2 defines them. */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

const GROUNDS = ['canvas', 'surface', 'surface-2', 'surface-3', 'overlay', 'accent-soft'];
const STATES = ['ok', 'warn', 'danger', 'info', 'accent'];
const text = ['text', 'muted', 'faint', ...STATES].flatMap((fg) => GROUNDS.map((bg) => [fg, bg, 4.5] as const));
const softText = STATES.flatMap((state) => [state, 'text', 'muted'].map((fg) => [fg, `${state}-soft`, 4.5] as const));
const solids = ['danger', 'accent'].map((bg) => ['on-solid', bg, 4.5] as const);
const marks = ['ok-mark', 'warn-mark', 'danger-mark', 'info-mark', 'off-mark', 'line-strong', 'accent'].flatMap((fg) =>
  ['canvas', 'surface', 'surface-2', 'overlay'].map((bg) => [fg, bg, 3] as const),
);

describe.each(['light', 'dark'] as const)('theme %s', (theme) => {
  it.each([...text, ...softText, ...solids, ...marks, ['surface', 'text', 4.5] as const])(
    '%s on %s has a contrast of at least %d',
    (fg, bg, least) => {
      const front = tokens.get(fg);
      const back = tokens.get(bg);
      if (!front || !back) throw new Error(`theme.css has no ${front ? bg : fg}`);
      expect(contrast(front[theme], back[theme])).toBeGreaterThanOrEqual(least);
    },
  );
});
