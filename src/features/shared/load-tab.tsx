'use client';
import { type ComponentType, type ReactNode, useCallback, useState } from 'react';
import { Skeleton } from '@/ui/loading';
import { part, usePart } from '@/ui/part';

/**
 * The content of a tab that most visits never open: its code comes when it is opened, or before once a person is at the page.
 * @param height of the placeholder, as a class
 */
export function loadTab<P extends object>(
  load: () => Promise<ComponentType<P>>,
  height = 'h-64',
): (props: P) => ReactNode {
  const code = part(async () => ({ Content: await load() }));
  // biome-ignore lint/correctness/noComponentHookFactories: as `dynamic` of Next, it is called once per tab, when a module is loaded.
  return function LoadedTab(props: P) {
    const [failed, setFailed] = useState(false);
    const onFailure = useCallback(() => setFailed(true), []);
    const Content = usePart(code, true, onFailure)?.Content;
    // The page's error boundary offers to try again.
    if (failed) throw new TypeError('the code of a tab did not arrive');
    if (Content) return <Content {...props} />;
    return (
      <div aria-busy="true">
        <Skeleton className={`${height} w-full`} />
      </div>
    );
  };
}
