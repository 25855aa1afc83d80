'use client';
import { cloneElement, type ReactElement, useEffect, useEffectEvent, useState } from 'react';
import type { PanelProps } from './panel';
import { type Part, usePart } from './part';
import { mergeHandlers } from './tooltip';

type Opened = Pick<PanelProps, 'open' | 'onOpenChange' | 'trigger'>;

/**
 * What draws a dialog or drawer, from its first opening on, and the button that opens it. The focus returns to where it was
 * (`useOpener`).
 */
export function useOpenedPanel<M>(popup: Part<M>, { open, onOpenChange, trigger }: Opened) {
  const [wasOpened, setWasOpened] = useState(open);
  if (open && !wasOpened) setWasOpened(true);
  const module = usePart(popup, open || wasOpened);
  const fail = useEffectEvent(() => onOpenChange(false));
  useEffect(() => {
    if (open) popup.load().catch(() => fail());
  }, [open, popup]);
  const reach = () => void popup.load().catch(() => undefined);
  return {
    module,
    trigger:
      trigger &&
      cloneElement(trigger as ReactElement<Record<string, unknown>>, {
        'aria-haspopup': 'dialog',
        'aria-expanded': open,
        ...mergeHandlers(trigger.props as never, {
          onPointerEnter: reach,
          onFocus: reach,
          onClick: () => onOpenChange(true),
        }),
      }),
  };
}
