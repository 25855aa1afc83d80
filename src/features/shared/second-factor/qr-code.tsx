import qrcode from 'qrcode-generator';
import { useMemo } from 'react';

/** A QR code, dark on light in every theme: cameras expect that. `label` describes its content. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => qrPath(text), [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-48 shrink-0 rounded-md border"
    >
      <rect width={size} height={size} fill="white" />
      <path d={path} fill="black" />
    </svg>
  );
}

/** Light modules that must surround a code, so that cameras find it. */
const QUIET = 4;

/** A QR code as the path of its dark modules in a square of `size` units, with the quiet zone around it. */
export function qrPath(text: string): { size: number; path: string } {
  const code = qrcode(0, 'M');
  code.addData(text, 'Byte');
  code.make();
  const count = code.getModuleCount();
  const runs: string[] = [];
  for (let row = 0; row < count; row += 1) {
    for (let column = 0; column < count; column += 1) {
      if (!code.isDark(row, column)) continue;
      let width = 1;
      while (column + width < count && code.isDark(row, column + width)) width += 1;
      runs.push(`M${column + QUIET} ${row + QUIET}h${width}v1h-${width}z`);
      column += width;
    }
  }
  return { size: count + 2 * QUIET, path: runs.join('') };
}
