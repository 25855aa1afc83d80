import { Skeleton } from '@/ui/skeleton';

/** In place of a page about one thing: its heading and its facts. */
export function DetailSkeleton() {
  return (
    <>
      <Skeleton className="h-8 w-64" />
      <Skeleton className="h-56 w-full" />
    </>
  );
}
