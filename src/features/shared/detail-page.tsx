'use client';
import { useEffect } from 'react';
import { Skeleton } from '@/ui/loading';

/** In place of a page about one thing: its heading and its facts. */
export function DetailSkeleton() {
  return (
    <>
      <Skeleton className="h-8 w-64" />
      <Skeleton className="h-56 w-full" />
    </>
  );
}

/** Names the browser tab after the thing that is shown, once it is known. */
export function useDocumentTitle(title: string | undefined): void {
  useEffect(() => {
    if (title) document.title = `${title} · Fabric`;
  }, [title]);
}
