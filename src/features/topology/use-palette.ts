'use client';
import { useEffect, useState } from 'react';
import { EDGE_VERDICTS, type EdgeVerdict } from '@/domain/topology/edge-verdict';
import { useTheme } from '@/ui/use-theme';
import { EDGE_VERDICT_STYLES } from '../shared/edge-verdict-styles';
import type { Palette } from './scene';

/** Colors of tokens as the browser resolves them: a canvas does not understand variables. */
function readPalette(): Palette {
  const probe = document.createElement('span');
  probe.hidden = true;
  document.body.append(probe);
  const color = (token: string) => {
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  };
  const palette: Palette = {
    canvas: color('--color-canvas'),
    surface: color('--color-surface'),
    raised: color('--color-surface-2'),
    line: color('--color-line'),
    strong: color('--color-line-strong'),
    text: color('--color-text'),
    muted: color('--color-muted'),
    faint: color('--color-faint'),
    accent: color('--color-accent'),
    sans: getComputedStyle(document.body).fontFamily,
    verdicts: Object.fromEntries(
      EDGE_VERDICTS.map((verdict) => [verdict, color(EDGE_VERDICT_STYLES[verdict].color)]),
    ) as Record<EdgeVerdict, string>,
  };
  probe.remove();
  return palette;
}

/** The theme's colors, read again when the theme changes; null until the page is mounted. */
export function usePalette(): Palette | null {
  const [theme] = useTheme();
  const [palette, setPalette] = useState<Palette | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme is what the colors depend on.
  useEffect(() => {
    const read = () => setPalette(readPalette());
    read();
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', read);
    return () => dark.removeEventListener('change', read);
  }, [theme]);
  return palette;
}
