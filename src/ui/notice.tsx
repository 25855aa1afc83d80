import clsx from 'clsx';
import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

type NoticeTone = 'info' | 'ok' | 'warn' | 'danger';

const TONES: Record<NoticeTone, { box: string; text: string; Icon: typeof Info }> = {
  info: { box: 'bg-info-soft', text: 'text-info', Icon: Info },
  ok: { box: 'bg-ok-soft', text: 'text-ok', Icon: CircleCheck },
  warn: { box: 'bg-warn-soft', text: 'text-warn', Icon: TriangleAlert },
  danger: { box: 'bg-danger-soft', text: 'text-danger', Icon: CircleAlert },
};

/** A message that stays on the page: about its form, section or page. `live` announces it when it appears. */
export function Notice({
  tone = 'info',
  title,
  children,
  action,
  live = false,
}: {
  tone?: NoticeTone;
  title?: string;
  children?: ReactNode;
  action?: ReactNode;
  live?: boolean;
}) {
  const { box, text, Icon } = TONES[tone];
  return (
    <div
      role={live ? (tone === 'danger' ? 'alert' : 'status') : undefined}
      className={clsx('flex flex-wrap items-start gap-x-3 gap-y-2 rounded-md px-3 py-2', box)}
    >
      <div className="flex min-w-0 flex-1 basis-60 gap-2">
        <Icon size={16} className={clsx('mt-0.5 shrink-0', text)} aria-hidden />
        <div className="min-w-0">
          {title && <p className={clsx('font-semibold', text)}>{title}</p>}
          {children && <div className="text-pretty">{children}</div>}
        </div>
      </div>
      {action && <div className="flex shrink-0 gap-2">{action}</div>}
    </div>
  );
}
