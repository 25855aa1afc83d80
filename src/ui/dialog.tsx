'use client';
import type { PanelProps } from './panel';
import { part } from './part';
import { useOpenedPanel } from './use-opened-panel';

const popup = part(() => import('./dialog-popup'));

/** A window over the page for one task. Esc closes it and the focus returns to where it was. */
export function Dialog(props: PanelProps) {
  const { module, trigger } = useOpenedPanel(popup, props);
  return (
    <>
      {trigger}
      {module && <module.DialogPopup {...props} />}
    </>
  );
}
