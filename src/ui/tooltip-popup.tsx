'use client';
import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactNode } from 'react';

export type TooltipPopupProps = {
  anchor: Element;
  content: ReactNode;
  side: 'top' | 'bottom' | 'left' | 'right';
  onClose: () => void;
  /** The pointer is on the text itself, which stays. */
  onHold: (isHeld: boolean) => void;
};

/** The text of a tooltip beside its element. */
export function TooltipPopup({ anchor, content, side, onClose, onHold }: TooltipPopupProps) {
  return (
    <Base.Root
      open
      onOpenChange={(open, { reason }) => {
        if (!open && (reason === 'escape-key' || reason === 'outside-press')) onClose();
      }}
    >
      <Base.Portal>
        <Base.Positioner anchor={anchor} side={side} sideOffset={6} className="z-(--layer-toast)">
          <Base.Popup
            role="tooltip"
            className="max-w-72 rounded-md bg-text px-2 py-1 text-sm text-surface"
            onPointerEnter={() => onHold(true)}
            onPointerLeave={() => onHold(false)}
          >
            {content}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
