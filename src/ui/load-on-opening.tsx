'use client';
import { type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react';
import { part, usePart } from './part';

/** A closed panel says so by `open`, or has nothing to show: null, or an empty list. */
function isPanelOpen(props: object): boolean {
  if ('open' in props) return props.open === true;
  return Object.values(props).every((value) => value !== null && !(Array.isArray(value) && value.length === 0));
}

/**
 * A drawer or dialog with its form, whose code is loaded when it is first opened, or before once the page is quiet.
 * @param isOpen for panels that are open whenever they are rendered, whatever their properties: `() => true`
 */
export function loadOnOpening<P extends object>(
  load: () => Promise<ComponentType<P>>,
  isOpen: (props: P) => boolean = isPanelOpen,
): (props: P) => ReactNode {
  const code = part(async () => ({ Panel: await load() }));
  // biome-ignore lint/correctness/noComponentHookFactories: as `dynamic` of Next, it is called once per panel, when a module is loaded.
  return function PanelOnOpening(props: P) {
    const [wasOpened, setWasOpened] = useState(false);
    const isRequested = wasOpened || isOpen(props);
    if (isRequested && !wasOpened) setWasOpened(true);
    const Panel = usePart(code, isRequested)?.Panel;
    return Panel ? <Panel {...props} /> : null;
  };
}

/**
 * A component whose code is loaded when it is first shown. As `dynamic` of Next, whose code for servers no page here needs.
 * @param waiting what is shown until then
 */
export function loadLater<P extends object>(
  load: () => Promise<ComponentType<P>>,
  waiting: ReactNode = null,
): (props: P) => ReactNode {
  const Loaded = lazy(async () => ({ default: await load() }));
  // biome-ignore lint/correctness/noComponentHookFactories: as above.
  return function Later(props: P) {
    return (
      <Suspense fallback={waiting}>
        <Loaded {...props} />
      </Suspense>
    );
  };
}
