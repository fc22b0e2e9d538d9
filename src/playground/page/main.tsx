import { render } from 'solid-js/web';
import { App } from './app.jsx';
import './style/index.css';

render(() => <App />, document.getElementById('page') as HTMLElement);
