'use client';
import { RotateCw, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { Button } from './button';
import { CopyButton } from './copy-button';

/**
 * In place of content that could not be loaded: what happened, the request id for the log, and a way to try again. What is not
 * permitted stays so: trying again is not offered then.
 */
export function ErrorState({
  problem,
  onRetry,
  pending,
  action,
}: {
  problem: Problem;
  onRetry?: () => void;
  pending?: boolean;
  /** A way on, where trying again will hardly help. */
  action?: ReactNode;
}) {
  const t = useT();
  return (
    <div role="alert" className="mx-auto flex max-w-md flex-col items-center gap-3 px-4 py-10 text-center">
      <TriangleAlert size={24} className="text-danger" aria-hidden />
      <div className="flex flex-col gap-1">
        <p className="font-semibold">{problem.title}</p>
        {problem.detail && <p className="text-pretty text-muted">{problem.detail}</p>}
        {problem.errors?.map(({ field, message }) => (
          <p key={`${field} ${message}`} className="text-pretty break-words">
            <span className="mono">{field}</span>: {message}
          </p>
        ))}
      </div>
      <div className="flex flex-wrap justify-center gap-2">
        {action}
        {onRetry && problem.status !== 403 && (
          <Button icon={<RotateCw size={14} />} onClick={onRetry} pending={pending}>
            {t('Try again')}
          </Button>
        )}
      </div>
      {problem.request_id && <RequestId id={problem.request_id} />}
    </div>
  );
}

function RequestId({ id }: { id: string }) {
  const t = useT();
  return (
    <p className="flex flex-wrap items-center justify-center gap-1 text-sm text-faint">
      {t.rich('Request <id>{request}</id>', { request: id, id: (inside) => <span className="mono">{inside}</span> })}
      <CopyButton value={id} label={t('Copy request ID')} />
    </p>
  );
}

/** One refused input: dotted path of the field as it was sent, and what to do about it. */
export type FieldProblem = { field: string; message: string };

/** What the interface shows of a failure; the members of problem+json that are for people. */
export type Problem = {
  title: string;
  detail?: string | undefined;
  status?: number | undefined;
  code?: string | undefined;
  request_id?: string | undefined;
  errors?: readonly FieldProblem[] | undefined;
};
