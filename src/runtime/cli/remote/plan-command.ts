import { type Command, EXIT, UsageError } from '../command';
import type { Api, Variables } from './api';
import { formatPlan, formatPlanMarkdown } from './format-plan';
import { FILE_OPTIONS, FILE_OPTIONS_HELP, makePlan, openPolicyFile } from './policy-file';

/** `fabric plan`. @param open connects to the installation */
export const planCommand = (open: () => Api, env: Variables): Command => ({
  name: 'plan',
  summary: 'Show what applying a file would do: to objects, rules, connections and policy tests.',
  help: `  fabric plan FILE [--json | --markdown] [--prune] [--tenant NAME] [--source NAME] [--no-replay]

Nothing is stored. Exit status: 0 nothing to change, 2 changes, 1 error. FILE - reads standard input.

--json         prints the plan as JSON
--markdown     prints the plan as Markdown, for a pull request
--no-replay    does not wait until observed connections are replayed
${FILE_OPTIONS_HELP}`,
  options: {
    ...FILE_OPTIONS,
    json: { type: 'boolean' },
    markdown: { type: 'boolean' },
    'no-replay': { type: 'boolean' },
  },
  positionals: ['FILE'],
  async run({ values, positionals: [name = ''], terminal }) {
    if (values.json && values.markdown) throw new UsageError('Use either --json or --markdown.');
    const api = open();
    const plan = await makePlan(api, await openPolicyFile(name, values, env), values['no-replay'] !== true);
    if (values.json) terminal.print(JSON.stringify(plan, null, 2));
    else for (const line of values.markdown ? formatPlanMarkdown(plan) : formatPlan(plan)) terminal.print(line);
    return plan.operations.length === 0 ? EXIT.ok : EXIT.changes;
  },
});
