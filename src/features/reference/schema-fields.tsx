'use client';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { type ApiDocument, getSchemaName, type JsonSchema, resolveSchema, typeText } from './api-document';

/** The object whose fields are worth a look behind a schema: its own, that of its items, or of its only choice. */
function findObjectSchema(document: ApiDocument, schema: JsonSchema | undefined): JsonSchema | undefined {
  const own = resolveSchema(document, schema);
  if (!own) return undefined;
  if (own.properties) return own;
  if (own.items) return findObjectSchema(document, own.items);
  const choices = (own.anyOf ?? own.oneOf ?? []).filter((one) => one.type !== 'null');
  return choices.length === 1 ? findObjectSchema(document, choices[0]) : undefined;
}

type FieldProps = { document: ApiDocument; name: string; schema: JsonSchema; required: boolean; depth: number };

function Field({ document, name, schema, required, depth }: FieldProps) {
  const t = useT();
  const [open, setOpen] = useState(false);
  const inner = depth < 6 ? findObjectSchema(document, schema) : undefined;
  const described =
    schema.description ?? (getSchemaName(schema) ? undefined : resolveSchema(document, schema)?.description);
  return (
    <li className="border-t py-1.5 first:border-t-0">
      <div className="flex flex-wrap items-baseline gap-x-2">
        {inner ? (
          <button
            type="button"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
            className="mono inline-flex min-h-6 items-center gap-1 rounded-sm hover:underline"
          >
            <ChevronRight size={12} aria-hidden className={open ? 'rotate-90' : ''} />
            {name}
          </button>
        ) : (
          <span className="mono pl-4">{name}</span>
        )}
        <span className="min-w-0 text-sm text-muted [overflow-wrap:anywhere]">{typeText(t, schema)}</span>
        {required && <span className="text-sm text-faint">{t('required')}</span>}
        {schema.default !== undefined && (
          <span className="text-sm text-faint">{t('default: {value}', { value: JSON.stringify(schema.default) })}</span>
        )}
      </div>
      {described && <p className="pl-4 text-sm text-pretty text-muted">{described}</p>}
      {open && inner && (
        <div className="ml-4 border-l pl-3">
          <SchemaFields document={document} schema={inner} depth={depth + 1} />
        </div>
      )}
    </li>
  );
}

/** The fields of a body or an answer, with those of inner objects to unfold. */
export function SchemaFields({
  document,
  schema,
  depth = 0,
}: {
  document: ApiDocument;
  schema: JsonSchema | undefined;
  depth?: number;
}) {
  const t = useT();
  const object = findObjectSchema(document, schema);
  if (!object) return <p className="text-muted">{schema ? typeText(t, schema) : t('No fields.')}</p>;
  const required = new Set(object.required);
  return (
    <ul>
      {Object.entries(object.properties ?? {}).map(([name, field]) => (
        <Field key={name} document={document} name={name} schema={field} required={required.has(name)} depth={depth} />
      ))}
    </ul>
  );
}
