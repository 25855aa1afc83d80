'use client';
import { Toast as Base } from '@base-ui/react/toast';
import clsx from 'clsx';
import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide-react';
import { useEffect } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { buttonClass } from './button-class';
import type { ToastOptions, ToastType } from './toast';

const manager = Base.createToastManager();

function add(type: ToastType, { title, description, action, id }: ToastOptions): void {
  manager.add({
    id,
    type,
    title,
    description,
    priority: type === 'danger' ? 'high' : 'low',
    timeout: type === 'danger' ? 0 : action ? 10_000 : 5_000,
    actionProps: action && { children: action.label, onClick: action.onClick },
  });
}

const MARKS = {
  info: <Info size={16} className="text-info" aria-hidden />,
  ok: <CircleCheck size={16} className="text-ok" aria-hidden />,
  warn: <TriangleAlert size={16} className="text-warn" aria-hidden />,
  danger: <CircleAlert size={16} className="text-danger" aria-hidden />,
} satisfies Record<ToastType, unknown>;

/** Shows the toasts that wait, and those to come. */
export function ToastLayer({ take }: { take: (taker: typeof add) => () => void }) {
  const t = useT();
  useEffect(() => take(add), [take]);
  return (
    <Base.Provider toastManager={manager} limit={4}>
      <Base.Portal>
        <Base.Viewport
          aria-label={t('Notifications')}
          className="fixed right-4 bottom-4 z-(--layer-toast) flex w-[min(22rem,calc(100vw-2rem))] flex-col gap-2"
        >
          <Toasts />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  );
}

function Toasts() {
  const t = useT();
  const { toasts } = Base.useToastManager();
  return toasts.map((toast) => (
    <Base.Root
      key={toast.id}
      toast={toast}
      swipeDirection="right"
      className={clsx(
        'popup p-3 transition-[opacity,translate] duration-150 data-limited:hidden',
        'translate-x-(--toast-swipe-movement-x) data-ending-style:opacity-0 data-starting-style:translate-y-2 data-starting-style:opacity-0',
      )}
    >
      <Base.Content className="flex items-start gap-2">
        <span className="mt-0.5 shrink-0">{MARKS[(toast.type as ToastType | undefined) ?? 'info']}</span>
        <div className="min-w-0 flex-1">
          <Base.Title className="text-base font-semibold" render={<p />} />
          <Base.Description className="text-pretty text-muted" />
          <Base.Action className={buttonClass({ size: 'sm', className: 'mt-2' })} />
        </div>
        <Base.Close aria-label={t('Dismiss')} className={buttonClass({ variant: 'ghost', size: 'sm', square: true })}>
          <X size={14} />
        </Base.Close>
      </Base.Content>
    </Base.Root>
  ));
}
