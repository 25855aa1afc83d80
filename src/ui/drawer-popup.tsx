'use client';
import { Drawer as Base } from '@base-ui/react/drawer';
import clsx from 'clsx';
import { useRef } from 'react';
import type { DrawerProps } from './drawer';
import { firstField, PanelFooter, PanelHeader, useEscapeGuard, useOpener } from './panel';

const PARTS = { Title: Base.Title, Description: Base.Description, Close: Base.Close };

const SIZES = { sm: 'md:max-w-xs', md: 'md:max-w-lg', lg: 'md:max-w-3xl' };

const SIDES: Record<NonNullable<DrawerProps['side']>, string> = {
  right:
    'ml-auto h-full w-full max-w-[calc(100vw-1.5rem)] border-l translate-x-(--drawer-swipe-movement-x) data-ending-style:translate-x-full data-starting-style:translate-x-full',
  left: 'mr-auto h-full w-full max-w-[calc(100vw-3rem)] border-r translate-x-(--drawer-swipe-movement-x) data-ending-style:-translate-x-full data-starting-style:-translate-x-full',
  bottom:
    'mt-auto max-h-[85dvh] w-full rounded-t-lg border-t translate-y-(--drawer-swipe-movement-y) data-ending-style:translate-y-full data-starting-style:translate-y-full',
};

/** A panel at the edge: the details of a row, or a longer form, while the page stays in view. Can be swiped away. */
export function DrawerPopup(props: DrawerProps) {
  const { open, title, description, side = 'right', size = 'md', persistent = false, footer, children } = props;
  const { asks, onOpenChange, ...noting } = useEscapeGuard(props);
  const body = useRef<HTMLDivElement>(null);
  const findOpener = useOpener(open, body);
  return (
    <Base.Root
      open={open}
      onOpenChange={onOpenChange}
      swipeDirection={side === 'bottom' ? 'down' : side}
      disablePointerDismissal={persistent}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-(--layer-overlay) bg-scrim opacity-[calc(1-var(--drawer-swipe-progress,0))] transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0 data-swiping:duration-0" />
        <Base.Viewport className="fixed inset-0 z-(--layer-overlay) flex overflow-hidden">
          <Base.Popup
            {...noting}
            initialFocus={(openedBy) => firstField(body.current, openedBy)}
            finalFocus={findOpener}
            className={clsx(
              'flex flex-col bg-overlay text-text outline-none transition-transform duration-150 data-swiping:duration-0 data-swiping:select-none',
              SIDES[side],
              side !== 'bottom' && SIZES[size],
            )}
          >
            <PanelHeader
              base={PARTS}
              asks={asks}
              title={title}
              description={description}
              className="border-b py-2"
              textClassName="py-1"
            />
            <Base.Content ref={body} className="min-h-0 flex-1 overflow-y-auto overscroll-contain p-4">
              {children}
            </Base.Content>
            <PanelFooter>{footer}</PanelFooter>
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}
