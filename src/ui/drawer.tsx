'use client';
import type { PanelProps } from './panel';
import { part } from './part';
import { useOpenedPanel } from './use-opened-panel';

const popup = part(() => import('./drawer-popup'));

export type DrawerProps = PanelProps & { side?: 'right' | 'left' | 'bottom' };

/** A panel at the edge: the details of a row, or a longer form, while the page stays in view. Can be swiped away. */
export function Drawer(props: DrawerProps) {
  const { module, trigger } = useOpenedPanel(popup, props);
  return (
    <>
      {trigger}
      {module && <module.DrawerPopup {...props} />}
    </>
  );
}
