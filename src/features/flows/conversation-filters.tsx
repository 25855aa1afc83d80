'use client';
import { useT } from '@/lib/i18n/use-t';
import { FilterBar } from '@/ui/filter-bar';
import { listTextFields } from '../shared/conversations/text-fields';
import { ViewsButton } from '../shared/views/views-button';
import { FilterInput } from './filter-text/filter-input';
import { useFlowFields } from './flow-filters';
import type { FlowView } from './use-flow-view';

/** What narrows conversations down: one text, which the chips below it write as well. Filters that a link brought are chips of their own. */
export function ConversationFilters({ view }: { view: FlowView }) {
  const t = useT();
  const text = view.filters.filter ?? '';
  const setText = (next: string) => view.setFilters({ filter: next === '' ? null : next });
  const linked = useFlowFields(view).filter(({ value }) => value.length > 0);
  return (
    <div className="flex flex-col gap-2">
      <FilterInput value={text} onValueChange={setText} />
      <FilterBar
        fields={[...listTextFields(t, text, setText), ...linked]}
        common={['client', 'server', 'service', 'action']}
        onClear={view.widen}
        views={<ViewsButton />}
      />
    </div>
  );
}
