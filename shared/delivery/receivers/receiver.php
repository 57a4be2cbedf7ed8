<?php
// A receiver for a webhook with the Full format and a secretKey. Needs PHP 7.4 or newer and no extensions.
// SECRET: the secretKey. FOLDER: where alarms are stored, outside the folder published by the web server.
//
// php receiver.php acknowledge ALARM NAME    acknowledges a stored alarm for a person

// If errors are displayed, PHP responds with 200 when a script fails, and the alarm would count as delivered.
http_response_code(500);

$secret = (string) getenv('SECRET');
$folder = (string) getenv('FOLDER');

/** Whether one of the signatures matches these bytes, and the request is less than 5 minutes old. */
function is_genuine(string $body, string $secret): bool
{
    $stamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!preg_match('/^\d{1,12}$/D', $stamp) || abs(time() - (int) $stamp) > 300) return false;
    $key = strpos($secret, 'whsec_') === 0 ? base64_decode(substr($secret, 6)) : $secret;
    $text = ($_SERVER['HTTP_WEBHOOK_ID'] ?? '') . ".$stamp.$body";
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $text, $key, true));
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $signature)
        if (hash_equals($expected, $signature)) return true;
    return false;
}

function acknowledge(string $file, string $name): bool
{
    $url = json_decode(file_get_contents($file))->acknowledgeUrl;
    if ($url === null) return false;
    $headers = 'Content-Type: application/json';
    $request = ['method' => 'POST', 'header' => $headers, 'content' => json_encode(['name' => $name]), 'timeout' => 15];
    return file_get_contents($url, false, stream_context_create(['http' => $request])) !== false;
}

/** Notifies your people. Call anything here that takes less than 15 seconds: a pager, a lamp or a phone system. */
function ring(string $body): void
{
    $alarm = json_decode($body, false, 64, JSON_THROW_ON_ERROR);
    error_log("{$alarm->sensor->name}: {$alarm->event->type}/{$alarm->event->action}");
}

function respond(int $status): void
{
    http_response_code($status);
    exit;
}

if (PHP_SAPI === 'cli') {
    [, $command, $file, $name] = $argv + ['', '', '', ''];
    exit($command === 'acknowledge' && $name !== '' && acknowledge($file, $name) ? 0 : 1);
}

// With an empty key, anyone could sign.
if ($secret === '' || $folder === '') respond(500);

// The raw bytes: `$_POST` is empty for JSON, and json_encode(json_decode($body)) yields different text.
$body = (string) file_get_contents('php://input');
if (!is_genuine($body, $secret)) respond(401);

// If the response was lost, the delivery is repeated with the same id. Delete these files after a day or so.
$file = $folder . '/' . hash('sha256', $_SERVER['HTTP_WEBHOOK_ID']) . '.json';
if (file_exists($file)) respond(200);
// Rings before storing: if the script dies in between, the alarm rings twice rather than never.
ring($body);
respond(file_put_contents($file, $body) === strlen($body) ? 200 : 500);
