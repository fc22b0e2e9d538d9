import type { Component } from 'solid-js';
import type { Flaw } from '../schema/check.js';
import type { FieldKind } from '../schema/kind.js';
import type { Schema } from '../schema/schema.js';

/** Finds values that the user may mean while typing in a field. */
export type Suggest = (name: string, typed: string) => Promise<readonly string[]>;

/** What every kind of field gets. */
export interface FieldProps {
  /** The schema, resolved. */
  schema: Schema;
  /** The schema of the whole form, in which references are found. */
  root: Schema;
  label: string;
  /** Where the value is in the form: a JSON pointer. */
  path: string;
  /** The id of its input, which the label and the messages refer to. */
  id: string;
  value: unknown;
  isRequired: boolean;
  /** The ids of the texts that describe the input. */
  describedBy: string | undefined;
  isFlawed: boolean;
  flaws: readonly Flaw[];
  suggest?: Suggest | undefined;
  /** For the values inside this one. It is given, because it imports all kinds of fields itself. */
  Field: Component<NestedFieldProps>;
  /** The input of a kind, without a label of its own. */
  fieldFor(kind: FieldKind): Component<FieldProps>;
  onChange(value: unknown): void;
}

/** What a field with its label gets. */
export interface NestedFieldProps {
  schema: unknown;
  root: Schema;
  /** The name of the value in its object, for fields without a title. */
  name: string;
  path: string;
  value: unknown;
  isRequired: boolean;
  flaws: readonly Flaw[];
  suggest?: Suggest | undefined;
  onChange(value: unknown): void;
}
