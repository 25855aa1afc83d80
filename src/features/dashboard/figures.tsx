import { formatCount } from '@/lib/format';
import { Link } from '@/ui/link';
import { StatusDot, type Tone } from '@/ui/status';

export type Figure = { id: string; word: string; tone: Tone; count: number; href: string };

/** How many there are of each kind; each leads to the list of these. Kinds of which there is none are left out. */
export function Figures({ label, items }: { label: string; items: readonly Figure[] }) {
  return (
    <ul aria-label={label} className="flex flex-wrap gap-x-4 gap-y-1">
      {items
        .filter(({ count }) => count > 0)
        .map(({ id, word, tone, count, href }) => (
          <li key={id}>
            <Link href={href} className="group inline-flex items-center gap-1.5 rounded-sm">
              <StatusDot tone={tone} />
              <span className="font-semibold tabular-nums">{formatCount(count)}</span>
              <span className="text-muted group-hover:text-text group-hover:underline">{word}</span>
            </Link>
          </li>
        ))}
    </ul>
  );
}
