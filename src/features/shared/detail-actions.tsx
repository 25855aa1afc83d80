'use client';
import { Pencil, Trash2 } from 'lucide-react';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { RowActions } from '@/ui/menu';

type EditProps = { onClick: () => void; disabledReason: string | null };

/** Opens the form that changes the thing. */
export function EditButton(props: EditProps) {
  const t = useT();
  return (
    <Button icon={<Pencil size={14} />} {...props}>
      {t('Edit')}
    </Button>
  );
}

type DeleteProps = { name: string; label: string; onSelect: () => void; disabledReason: string | null };

/** The menu of a thing that can only be deleted there. */
export function DeleteMenu({ name, ...entry }: DeleteProps) {
  return <RowActions name={name} entries={[{ id: 'delete', icon: <Trash2 />, tone: 'danger', ...entry }]} />;
}
