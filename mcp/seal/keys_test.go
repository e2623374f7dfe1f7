package seal_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"isthmus.internal/mcp/seal"
)

func TestNewKeysRefuses(t *testing.T) {
	many := make([][]byte, seal.MaxSecrets+1)
	for i := range many {
		many[i] = secret(byte(i))
	}
	rows := []struct {
		name    string
		secrets [][]byte
		want    string // in the error
	}{
		{"none", nil, "no secret"},
		{"a short one", [][]byte{secret(1), make([]byte, seal.MinSecret-1)}, "secret 2 has 15 bytes"},
		{"nil", [][]byte{nil}, "secret 1 has 0 bytes"},
		{"one twice", [][]byte{secret(1), secret(2), secret(1)}, "secrets 1 and 3 are the same"},
		{"too many", many, "17 secrets"},
	}
	for _, r := range rows {
		k, err := seal.NewKeys(r.secrets...)
		if k != nil || err == nil || !strings.Contains(err.Error(), r.want) {
			t.Errorf("%s: NewKeys = %v, %v; want an error with %q", r.name, k, err, r.want)
		}
	}
	if _, err := seal.NewKeys(many[:seal.MaxSecrets]...); err != nil {
		t.Errorf("%d secrets: %v", seal.MaxSecrets, err)
	}
}

func TestSecretsAreCopied(t *testing.T) {
	s := secret(1)
	k := ring(t, s)
	clear(s)
	token := k.Seal("p", later, nil, nil)
	if _, err := ring(t, secret(1)).Open("p", now, nil, token); err != nil {
		t.Errorf("after the caller cleared its copy: %v", err)
	}
}

func TestManyPurposesAtOnce(t *testing.T) {
	k := ring(t, secret(1), secret(2))
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			purpose := fmt.Sprint("purpose ", i%100)
			plain := []byte(purpose)
			got, err := k.Open(purpose, now, plain, k.Seal(purpose, later, plain, plain))
			if err != nil || !bytes.Equal(got, plain) {
				t.Errorf("%s: %q, %v", purpose, got, err)
			}
		})
	}
	all.Wait()
}

// TestFIPS runs the other tests in a process of its own that may use nothing but
// approved cryptography.
func TestFIPS(t *testing.T) {
	const setting = "fips140=only"
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run", "^Test(Open|Contents|TheFirstSecretSeals|NewKeysRefuses)$", "-test.v")
	cmd.Env = append(os.Environ(), "GODEBUG="+setting)
	out, err := cmd.CombinedOutput()
	if err != nil || bytes.Count(out, []byte("--- PASS")) != 4 {
		t.Errorf("with GODEBUG=%s: %v\n%s", setting, err, out)
	}
}
