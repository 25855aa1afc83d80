'use client';
import { type ReactNode, useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { Drawer } from '@/ui/drawer';
import { WorkloadPicker } from '../shared/workload-picker';

type Choice = {
  title: string;
  pending: boolean;
  refusal: ReactNode;
  onChoose: (ids: readonly string[]) => void;
  onClose: () => void;
};

/** Chooses the workloads that a part of Fabric runs on. */
export function ChooseWorkloads({ title, pending, refusal, onChoose, onClose }: Choice) {
  const t = useT();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  return (
    <Drawer
      open
      onOpenChange={(next) => !next && onClose()}
      size="lg"
      title={title}
      footer={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button
            variant="primary"
            pending={pending}
            disabledReason={chosen.size === 0 ? t('Select at least one workload') : null}
            onClick={() => onChoose([...chosen])}
          >
            {t('Confirm')}
          </Button>
        </>
      }
    >
      {refusal}
      <WorkloadPicker selection={chosen} onSelectionChange={setChosen} />
    </Drawer>
  );
}
