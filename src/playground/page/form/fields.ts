import type { Component } from 'solid-js';
import type { FieldKind } from '../schema/kind.js';
import { AnyField } from './any-field.jsx';
import { BooleanField } from './boolean-field.jsx';
import { ChoiceField } from './choice-field.jsx';
import { ChoicesField } from './choices-field.jsx';
import { ConstantField } from './constant-field.jsx';
import type { FieldProps } from './field-props.js';
import { ListField } from './list-field.jsx';
import { MapField } from './map-field.jsx';
import { NumberField } from './number-field.jsx';
import { ObjectField } from './object-field.jsx';
import { TextField } from './text-field.jsx';
import { UnionField } from './union-field.jsx';

/** The component for each kind of field. */
export const FIELDS: Readonly<Record<FieldKind, Component<FieldProps>>> = {
  text: TextField,
  number: NumberField,
  boolean: BooleanField,
  choice: ChoiceField,
  choices: ChoicesField,
  constant: ConstantField,
  null: ConstantField,
  list: ListField,
  object: ObjectField,
  map: MapField,
  union: UnionField,
  any: AnyField,
};
