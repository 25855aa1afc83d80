'use client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { Notice } from '@/ui/notice';
import { VersionCompare } from '../detail/version-compare';

type Props = {
  policyId: string;
  readVersion: number;
  theirVersion: number;
  pending: boolean;
  onOverwrite: () => void;
  onTakeTheirs: () => Promise<void>;
};

/** Someone saved while this form was open: shows what they changed, and lets the author choose. */
export function VersionConflict({ policyId, readVersion, theirVersion, pending, onOverwrite, onTakeTheirs }: Props) {
  const t = useT();
  const [shown, setShown] = useState(false);
  const reload = useMutation({ mutationFn: onTakeTheirs });
  return (
    <>
      <Notice
        tone="warn"
        live
        title={t('Another user saved version {version}', { version: theirVersion })}
        action={
          <span className="flex flex-wrap gap-2">
            <Button size="sm" onClick={() => setShown(true)}>
              {t('Show their changes')}
            </Button>
            <Button size="sm" onClick={() => reload.mutate()} pending={reload.isPending}>
              {t('Discard mine, load theirs')}
            </Button>
            <Button size="sm" variant="danger" onClick={onOverwrite} pending={pending}>
              {t('Overwrite with mine')}
            </Button>
          </span>
        }
      >
        {t('Your changes are not saved. They are still in the form below, which started from version {version}.', {
          version: readVersion,
        })}
      </Notice>
      <Dialog
        open={shown}
        onOpenChange={setShown}
        size="lg"
        title={t('Version {from} to {to}', { from: readVersion, to: theirVersion })}
        description={t('Changes saved while you were editing.')}
      >
        <VersionCompare policyId={policyId} from={readVersion} to={theirVersion} />
      </Dialog>
    </>
  );
}
