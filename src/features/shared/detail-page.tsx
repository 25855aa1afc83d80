'use client';
import { type ComponentProps, type ReactNode, useEffect } from 'react';
import { Skeleton } from '@/ui/loading';
import { QueryView } from './query-view';

/** Names the browser tab after the thing that is shown, once it is known. */
export function useDocumentTitle(title: string | undefined): void {
  useEffect(() => {
    if (title) document.title = `${title} · Fabric`;
  }, [title]);
}

/** In place of a page about one thing: its heading and its properties. */
export function DetailSkeleton() {
  return (
    <>
      <Skeleton className="h-8 w-64" />
      <Skeleton className="h-56 w-full" />
    </>
  );
}

type Props<T> = {
  query: ComponentProps<typeof QueryView<T>>['query'];
  /** What the browser tab is called. */
  title: (thing: T) => string;
  children: (thing: T) => ReactNode;
};

/** The page about one thing: a skeleton, the error, or the thing, after which the browser tab is named. */
export function DetailPage<T>({ query, title, children }: Props<T>) {
  useDocumentTitle(query.data === undefined ? undefined : title(query.data));
  return (
    <QueryView query={query} skeleton={<DetailSkeleton />}>
      {children}
    </QueryView>
  );
}
