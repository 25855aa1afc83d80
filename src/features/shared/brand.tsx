'use client';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Link } from '@/ui/link';

/** The product's mark and name; leads home. */
export function Brand({ compact = false }: { compact?: boolean }) {
  const t = useT();
  return (
    <Link
      href={paths.home()}
      aria-label={t('Fabric, home')}
      className="inline-flex min-h-6 min-w-6 items-center justify-center gap-2 rounded-md font-semibold"
    >
      <svg viewBox="0 0 32 32" className="size-5 shrink-0" aria-hidden="true">
        <rect width="32" height="32" rx="7" className="fill-text" />
        <g className="fill-none stroke-surface" strokeWidth="2.75" strokeLinecap="round">
          <path d="M8 9h16M8 16h16M8 23h9" />
          <path d="M11 6v20M21 6v13" />
        </g>
      </svg>
      {!compact && <span>Fabric</span>}
    </Link>
  );
}
