'use client';
import Link from 'next/link';
import { paths } from '@/lib/paths';

/** The tags of a guest; each leads to all guests that carry it. */
export function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <span className="inline-flex max-w-full gap-1" title={tags.join(', ')}>
      {tags.map((tag) => (
        <Link
          key={tag}
          href={paths.workloads({ tag })}
          className="inline-flex h-5 max-w-28 shrink-0 items-center truncate rounded-sm border bg-surface-2 px-1.5 text-sm text-muted hover:text-text"
        >
          {tag}
        </Link>
      ))}
    </span>
  );
}
