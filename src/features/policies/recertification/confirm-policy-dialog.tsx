'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { Recertification } from '@/domain/recertification';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { Notice } from '@/ui/notice';
import { TextInput } from '@/ui/text-input';
import { showToast } from '@/ui/toast';

/** Asks for a note, and confirms the version that is shown. Mount it when it opens. */
export function ConfirmPolicyDialog({ of, onClose }: { of: Recertification; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const noteId = useId();
  const [note, setNote] = useState('');
  const confirm = useMutation(
    trpc.recertifications.confirm.mutationOptions({
      onSuccess: ({ name }) => {
        showToast('ok', { title: t('{name} confirmed', { name }) });
        onClose();
      },
      onSettled: () => void queryClient.invalidateQueries(trpc.recertifications.pathFilter()),
    }),
  );
  const submit = () => confirm.mutate({ id: of.id, version: of.policy_version, note: note.trim() });
  const failure = confirm.error ? toFailure(confirm.error) : null;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      persistent={confirm.isPending}
      title={t('Confirm {name}', { name: of.name })}
      description={t('You confirm that version {version} is still needed. It is due again in {days} days.', {
        version: of.policy_version,
        days: of.period_days,
      })}
      footer={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button variant="primary" pending={confirm.isPending} onClick={submit}>
            {t('Confirm policy')}
          </Button>
        </>
      }
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <div className="flex flex-col gap-1">
          <label htmlFor={noteId} className="text-sm font-medium">
            {t('Note')} <span className="font-normal text-faint">{t('(optional)')}</span>
          </label>
          <TextInput id={noteId} value={note} onChange={(event) => setNote(event.target.value)} maxLength={500} />
        </div>
        {failure && (
          <Notice tone="danger" title={failure.title} live>
            {failure.detail}
          </Notice>
        )}
      </form>
    </Dialog>
  );
}
