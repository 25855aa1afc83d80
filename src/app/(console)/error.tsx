'use client';
import { PageProblem } from '@/ui/page-problem';

/** Inside the shell, so that the way to other pages stays. */
export default function ConsoleError(props: { error: unknown; retry: () => void }) {
  return <PageProblem {...props} />;
}
