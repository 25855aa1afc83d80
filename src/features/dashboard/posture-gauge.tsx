import clsx from 'clsx';
import type { SecurityPosture } from '@/domain/dashboard/security-posture';

const STROKES: Record<SecurityPosture['level'], string> = {
  good: 'stroke-ok-mark',
  fair: 'stroke-warn-mark',
  poor: 'stroke-danger-mark',
  unknown: 'stroke-line-strong',
};

const RADIUS = 42;
const LENGTH = 2 * Math.PI * RADIUS;

/** The score as a ring; without one, a dashed ring and a question mark. Words beside it say the same. */
export function PostureGauge({ posture: { score, level } }: { posture: Pick<SecurityPosture, 'score' | 'level'> }) {
  return (
    <svg viewBox="0 0 100 100" className="size-24 shrink-0" aria-hidden="true">
      <g fill="none" strokeWidth="9" transform="rotate(-90 50 50)">
        {score === null ? (
          <circle cx="50" cy="50" r={RADIUS} className="stroke-line-strong" strokeWidth="3" strokeDasharray="6 5" />
        ) : (
          <>
            <circle cx="50" cy="50" r={RADIUS} className="stroke-surface-3" />
            {score > 0 && (
              <circle
                cx="50"
                cy="50"
                r={RADIUS}
                className={clsx(STROKES[level], 'transition-[stroke-dasharray] duration-300')}
                strokeDasharray={`${(LENGTH * score) / 100} ${LENGTH}`}
              />
            )}
          </>
        )}
      </g>
      <text x="50" y="61" textAnchor="middle" fontSize="30" className="fill-text font-semibold tabular-nums">
        {score ?? '?'}
      </text>
    </svg>
  );
}
