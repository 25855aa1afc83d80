import { sparklinePath } from './sparkline-path';

type Props = {
  /** Oldest first; null where nothing was measured. */
  values: readonly (number | null)[];
  /** The line as text: "Traffic of the last hour, now 1.2 Mbit/s". */
  label: string;
  width?: number;
  height?: number;
};

/** A course over time, small enough for a table cell. */
export function Sparkline({ values, label, width = 96, height = 20 }: Props) {
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      className="inline-block align-middle"
    >
      <path
        d={sparklinePath(values, { width, height, padding: 2 })}
        className="fill-none stroke-info-mark"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
