'use client';
import { useState } from 'react';
import type { ManagedBy } from '@/domain/managed-source';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { Notice } from '@/ui/notice';

const COMMIT_LENGTH = 10;

/** The address of a source, where it is one; other texts are no links. */
const toSourceUrl = ({ source }: Pick<ManagedBy, 'source'>): string | null =>
  /^https?:\/\/[^\s/]/.test(source) ? source : null;

function Outside({ href, children }: { href: string | null; children: string }) {
  if (href === null) return <span className="mono [overflow-wrap:anywhere]">{children}</span>;
  return (
    <a className="link mono [overflow-wrap:anywhere]" href={href} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}

/** The repository that something comes from, and the commit, as links where they are addresses. */
export function SourceView({ of }: { of: ManagedBy }) {
  const t = useT();
  const { commit, commit_url } = of;
  const source = <Outside href={toSourceUrl(of)}>{of.source}</Outside>;
  if (commit === null) return source;
  return t.rich('{source}, commit {commit}', {
    source,
    commit: <Outside href={commit_url}>{commit.slice(0, COMMIT_LENGTH)}</Outside>,
  });
}

type Props = {
  object: { readonly id: string; readonly name: string; readonly managed_by: ManagedBy | null };
  /** Why it cannot be released; null: it can. */
  disabledReason: string | null;
  release: { mutate(input: { id: string }): void; isPending: boolean; error: unknown; reset(): void };
};

/** Says that an object is managed as code, and from where, and releases it. */
export function ManagedNotice({ object, disabledReason, release }: Props) {
  const t = useT();
  const [asked, setAsked] = useState(false);
  const { id, name, managed_by } = object;
  if (!managed_by) return null;
  return (
    <>
      <Notice
        title={t('Managed as code')}
        action={
          <Button size="sm" onClick={() => setAsked(true)} disabledReason={disabledReason}>
            {t('Release…')}
          </Button>
        }
      >
        <p>
          <SourceView of={managed_by} />
        </p>
        <p>{t('It is read-only here. Edit it at its source, and apply it from there.')}</p>
      </Notice>
      <ConfirmDialog
        open={asked}
        onOpenChange={(next) => {
          if (next) return;
          release.reset();
          setAsked(false);
        }}
        title={t('Release {name}?', { name })}
        confirmLabel={t('Release')}
        pending={release.isPending}
        error={release.error ? toFailure(release.error) : null}
        onConfirm={() => release.mutate({ id })}
      >
        <p>
          {t('It can then be edited here. The next apply from {source} overwrites such edits and manages it again.', {
            source: managed_by.source,
          })}
        </p>
      </ConfirmDialog>
    </>
  );
}
