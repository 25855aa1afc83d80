import type { ManagedBy } from '@/domain/managed-source';
import { textOption, UsageError, type Values } from '../command';
import type { Variables } from './api';

export const SOURCE_OPTIONS = {
  source: { type: 'string' },
  commit: { type: 'string' },
  'no-source': { type: 'boolean' },
} as const;

export const SOURCE_HELP = `--source NAME  where the file comes from, such as the address of its repository: what it names is managed from there.
               By default the repository of a GitHub or GitLab pipeline
--commit ID    the commit of the source; by default that of the pipeline
--no-source    in a pipeline, too: objects stay editable in the console`;

/** The repository and commit of a pipeline of GitHub or GitLab. */
function readPipeline(env: Variables): { source?: string; commit?: string; commit_url?: string } {
  const { GITHUB_SERVER_URL: server = 'https://github.com', GITHUB_REPOSITORY: name, GITHUB_SHA } = env;
  if (name) {
    const source = `${server}/${name}`;
    return { source, ...(GITHUB_SHA && { commit: GITHUB_SHA, commit_url: `${source}/commit/${GITHUB_SHA}` }) };
  }
  const { CI_PROJECT_URL: source, CI_COMMIT_SHA: commit } = env;
  if (!source) return {};
  return { source, ...(commit && { commit, commit_url: `${source}/-/commit/${commit}` }) };
}

/** Where a file comes from: as the options say, or the pipeline. @returns null: from no source @throws UsageError */
export function readSource(values: Values, env: Variables): ManagedBy | null {
  const [named, commit] = [textOption(values, 'source'), textOption(values, 'commit')];
  if (values['no-source'] === true) {
    if (named === null && commit === null) return null;
    throw new UsageError('Use either --no-source, or --source and --commit.');
  }
  const pipeline = readPipeline(env);
  const source = named ?? pipeline.source;
  if (source === undefined) {
    if (commit === null) return null;
    throw new UsageError('--commit requires --source.');
  }
  // The page of a commit is known for that of the pipeline.
  const commit_url = commit === null || commit === pipeline.commit ? (pipeline.commit_url ?? null) : null;
  return { source, commit: commit ?? pipeline.commit ?? null, commit_url };
}
